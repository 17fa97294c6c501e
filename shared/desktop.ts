/** What the window's preload script puts on `window.desktop`; absent in a plain browser. */
export interface DesktopBridge {
  /** Version of the desktop application, e.g. "0.1.0". */
  readonly version: string;
  /** The operating system, as Node's `process.platform` names it. */
  readonly platform: string;
}
