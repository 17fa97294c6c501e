import { showToast } from './toaster.ts';

/** Puts text on the clipboard and says so, or that it was refused; resolves whether it worked. */
export async function copyText(text: string, what?: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    if (what !== undefined) showToast(`Copied ${what}`);
    return true;
  } catch {
    showToast('The browser did not allow copying.', 'failure');
    return false;
  }
}

/** Offers text to be saved as a file of this name. */
export function downloadText(fileName: string, text: string, mediaType: string): void {
  downloadBlob(fileName, new Blob([text], { type: mediaType }));
}

/** Offers bytes to be saved as a file of this name. */
export function downloadBlob(fileName: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
