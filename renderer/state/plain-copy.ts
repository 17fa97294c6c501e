import { useEvent } from './use-event.ts';

/**
 * Returns the text with its numbers as other programs read them: a hyphen for each minus sign (U+2212) before a digit,
 * a decimal point or ∞, and no thin or narrow space between digits.
 */
export function getPlainNumbers(text: string): string {
  return text.replace(/\u2212(?=[\d.∞])/g, '-').replace(/(?<=\d)[\u2009\u202f](?=\d)/g, '');
}

/** Copies text that is selected on the page with plain numbers, while the calling component is mounted. */
export function copyPlainNumbers(): void {
  useEvent('copy', (event) => {
    const text = document.getSelection()?.toString() ?? '';
    const plain = getPlainNumbers(text);
    if (event.defaultPrevented || plain === text) return;
    event.clipboardData?.setData('text/plain', plain);
    event.preventDefault();
  });
}
