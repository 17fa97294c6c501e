/** An answer that was checked and written where it was computed, sent as it is with the endpoint's type. */
export class PreparedAnswer {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(text: string, headers: Readonly<Record<string, string>> = {}) {
    this.text = text;
    this.headers = headers;
  }
}
