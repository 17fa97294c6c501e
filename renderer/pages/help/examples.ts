/** Scripts that use the API, as they are shown; a test runs each of them. */
const sources: Readonly<Record<string, string>> = import.meta.glob('./scripts/*', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** What the scripts do, in the order in which they are shown. */
export const topics = [
  { id: 'list-runs', title: 'A list, whole' },
  { id: 'analysis', title: 'The figures of an experiment' },
  { id: 'latex', title: 'The tables of a comparison as LaTeX' },
  { id: 'stop-run', title: 'Stopping runs' },
  { id: 'watch-changes', title: 'Waiting for changes' },
  { id: 'token', title: 'With a token' },
] as const;

/** Languages by the ending of their scripts. */
export const languages = { sh: 'curl', py: 'Python', R: 'R' } as const;
export type Language = keyof typeof languages;

/** The script of a topic in a language; undefined where there is none. */
export function exampleOf(topic: string, language: Language): string | undefined {
  return sources[`./scripts/${topic}.${language}`];
}
