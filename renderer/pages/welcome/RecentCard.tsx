import { createSignal, For, Show, type JSX } from 'solid-js';
import type { DatabaseChoices } from '#shared/schemas/databases.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { beginDraft } from '#renderer/features/databases/connect-draft.ts';
import { busyWith } from '#renderer/features/databases/opening.ts';
import { useRecent, type RecentChoice } from '#renderer/features/databases/recent.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import { Failure } from './Failure.tsx';

/** The recently opened databases; nothing without any. */
export function RecentCard(props: { choices: DatabaseChoices }): JSX.Element {
  const recent = useRecent(() => props.choices);
  const [failure, setFailure] = createSignal<string | null>(null);
  const choose = async ({ open, postgres }: RecentChoice): Promise<void> => {
    if (busyWith() !== null) return;
    setFailure(null);
    if (open) setFailure(await open());
    else if (postgres) {
      beginDraft(postgres);
      document.querySelector<HTMLElement>('#connect [type=password]')?.focus();
    }
  };
  return (
    <Show when={recent().length > 0}>
      <Card title="Recent databases" description="Enter the password again unless it is saved.">
        <Failure text={failure()} />
        <ul class="welcome-recent">
          <For each={recent()}>
            {(choice) => (
              <li>
                <button type="button" class="welcome-choice" onClick={() => void choose(choice)}>
                  <span class="welcome-name clip">{choice.name}</span>
                  <span class="muted clip">{choice.location}</span>
                </button>
                <Show when={choice.forget}>
                  {(forget) => (
                    <button
                      type="button"
                      class="icon-button"
                      title="Remove from list"
                      aria-label={`Remove ${choice.name} from list`}
                      onClick={() => forget()()}
                    >
                      <Icon name="cross" size={12} />
                    </button>
                  )}
                </Show>
              </li>
            )}
          </For>
        </ul>
      </Card>
    </Show>
  );
}
