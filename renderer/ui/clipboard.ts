import { showToast } from './toaster.ts';

/** Copies text to the clipboard and shows a toast with the result; resolves to whether it worked. */
export async function copyText(text: string, what?: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    if (what !== undefined) showToast(`Copied ${what}`);
    return true;
  } catch {
    showToast('The browser does not allow copying. Allow it for this page.', 'failure');
    return false;
  }
}

/** Downloads text as a file of this name. */
export function downloadText(fileName: string, text: string, mediaType: string): void {
  downloadBlob(fileName, new Blob([text], { type: mediaType }));
}

/** Downloads the response of the service at this address; the service names the file. */
export function downloadUrl(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

/** Downloads bytes as a file of this name. */
export function downloadBlob(fileName: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
