/** Scripts that use the API, as shown; a test runs each of them. */
const sources: Readonly<Record<string, string>> = import.meta.glob(
  ['./scripts/*', './recording/*', './assistants/*'],
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
);

/** The topics of the scripts, in the displayed order. */
export const topics = [
  { id: 'list-runs', title: 'A complete list' },
  { id: 'analysis', title: 'Statistics of an experiment' },
  { id: 'latex', title: 'Tables of a comparison as LaTeX' },
  { id: 'stop-run', title: 'Stopping runs' },
  { id: 'watch-changes', title: 'Waiting for changes' },
  { id: 'token', title: 'With a token' },
] as const;

/** Languages by the extension of their scripts. */
export const languages = { sh: 'curl', py: 'Python', R: 'R' } as const;
export type Language = keyof typeof languages;

/**
 * Commands and scripts that get runs in: in their own folder, as Python would import another script in place of a
 * module of that name.
 */
export const recordingScripts = {
  start: sources['./recording/start-service.sh'] ?? '',
  curl: sources['./recording/record-curl.sh'] ?? '',
  python: sources['./recording/record-python.py'] ?? '',
  java: sources['./recording/RecordRun.java'] ?? '',
  julia: sources['./recording/RecordRun.jl'] ?? '',
  mlflow: sources['./recording/record-mlflow.py'] ?? '',
  watch: sources['./recording/watch-folder.sh'] ?? '',
  import: sources['./recording/import-finished.sh'] ?? '',
};

/** Configurations of MCP clients; tests connect with them. */
export const assistantConfigurations = {
  command: sources['./assistants/command.json'] ?? '',
  http: sources['./assistants/http.json'] ?? '',
};

/** Returns the script of a topic in a language; undefined where there is none. */
export function getExample(topic: string, language: Language): string | undefined {
  return sources[`./scripts/${topic}.${language}`];
}
