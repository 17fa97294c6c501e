import { Dialog as KobalteDialog } from '@kobalte/core/dialog';
import { createEffect, createMemo, on, Show, type JSX } from 'solid-js';
import { rememberPlace } from '#renderer/state/focus-guard.ts';
import { Icon } from './Icon.tsx';
import './dialog.css';

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  description?: string;
  /** `wide` fills most of the window. */
  size?: 'normal' | 'wide';
  /** Shows the title to screen readers only. */
  titleHidden?: boolean;
  children: JSX.Element;
}

/** A modal dialog, closed by Close, the backdrop and Esc; the focus stays inside and returns to the opener. */
export function Dialog(props: DialogProps): JSX.Element {
  let findOpener: (() => HTMLElement | null) | undefined;
  const isOpen = createMemo(() => props.open);
  createEffect(
    on(isOpen, (open) => {
      if (open) findOpener = rememberPlace(document.activeElement ?? document.body);
    }),
  );
  return (
    <KobalteDialog open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <KobalteDialog.Portal>
        <KobalteDialog.Overlay class="dialog-backdrop" />
        <div class="dialog-place">
          <KobalteDialog.Content
            class={`dialog dialog-${props.size ?? 'normal'}`}
            onOpenAutoFocus={focusMarkedField}
            onCloseAutoFocus={() => findOpener?.()?.focus({ preventScroll: true })}
          >
            <div
              class="dialog-header"
              classList={{ 'visually-hidden': props.titleHidden === true }}
            >
              <KobalteDialog.Title>{props.title}</KobalteDialog.Title>
              <Show when={!props.titleHidden}>
                <KobalteDialog.CloseButton class="icon-button" aria-label="Close">
                  <Icon name="cross" size={14} />
                </KobalteDialog.CloseButton>
              </Show>
            </div>
            <Show when={props.description}>
              <KobalteDialog.Description class="dialog-description">
                {props.description}
              </KobalteDialog.Description>
            </Show>
            <div class="dialog-body">{props.children}</div>
          </KobalteDialog.Content>
        </div>
      </KobalteDialog.Portal>
    </KobalteDialog>
  );
}

/** Focuses a field marked with `autofocus` first, instead of the first button. */
function focusMarkedField(event: Event): void {
  const field = (event.currentTarget as HTMLElement | null)?.querySelector<HTMLElement>(
    '[autofocus]',
  );
  if (!field) return;
  event.preventDefault();
  field.focus();
}
