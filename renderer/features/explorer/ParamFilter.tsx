import { createMemo, createSignal, createUniqueId, For, Show, type JSX } from 'solid-js';
import { paramOperators } from '#shared/syntax.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { TextField } from '#renderer/ui/TextField.tsx';
import { getCondition } from './param-condition.ts';
import { any, PopoverFilter } from '#renderer/ui/PopoverFilter.tsx';

interface ParamFilterProps {
  /** The active conditions; all of them must be true. */
  conditions: readonly string[];
  onChange: (conditions: readonly string[]) => void;
}

/** Filters by parameters of the configuration, typed as "populationSize > 50", with completion of known paths. */
export function ParamFilter(props: ParamFilterProps): JSX.Element {
  const summary = (): string => props.conditions.join(', ') || any;
  return (
    <PopoverFilter label="Parameters" summary={summary()} onClear={() => props.onChange([])}>
      <ConditionForm onAdd={(text) => props.onChange([...props.conditions, text])} />
      <Show when={props.conditions.length > 0}>
        <ul class="choice-list">
          <For each={props.conditions}>
            {(condition) => (
              <li class="condition">
                <span class="mono">{condition}</span>
                <Button
                  size="small"
                  kind="quiet"
                  aria-label={`Remove ${condition}`}
                  onClick={() =>
                    props.onChange(props.conditions.filter((other) => other !== condition))
                  }
                >
                  Remove
                </Button>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </PopoverFilter>
  );
}

function ConditionForm(props: { onAdd: (condition: string) => void }): JSX.Element {
  const paths = useEndpoint('listParamPaths');
  const [text, setText] = createSignal('');
  const [error, setError] = createSignal<string>();
  const listId = createUniqueId();
  // After the path there is nothing to complete.
  const completions = createMemo(() => (/[<>=!~]/.test(text()) ? [] : (paths.data ?? [])));
  const add = (event: Event): void => {
    event.preventDefault();
    const parsed = getCondition(text());
    if ('error' in parsed) {
      setError(parsed.error);
      return;
    }
    props.onAdd(parsed.condition);
    setText('');
  };
  return (
    <form class="condition-form" onSubmit={add}>
      <TextField
        label="Condition"
        placeholder="populationSize > 50"
        list={listId}
        autocomplete="off"
        value={text()}
        error={error()}
        onInput={(next) => {
          setText(next);
          setError(undefined);
        }}
      />
      <datalist id={listId}>
        <For each={completions()}>{(path) => <option value={`${path} `} />}</For>
      </datalist>
      <Button type="submit">Add</Button>
      <p class="field-note muted">
        parameter operator value, e.g. populationSize &gt;= 50; operators {paramOperators.join(' ')}{' '}
        (~ contains), or in 50, 100
      </p>
    </form>
  );
}
