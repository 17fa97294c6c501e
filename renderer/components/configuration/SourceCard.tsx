import type { JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { ChoiceButtons } from '#renderer/components/ChoiceButtons.tsx';
import { copyText, downloadText } from '#renderer/components/clipboard.ts';
import { JsonView } from '#renderer/components/JsonView.tsx';

const formats = { yaml: 'YAML', json: 'JSON' } as const;
type ConfigurationFormat = keyof typeof formats;

/** A stored configuration, and what its file is called before `-config.yaml`. */
export interface ConfigurationSource {
  configYaml: string;
  configJson: string;
  fileName: string;
}

interface SourceCardProps {
  source: ConfigurationSource;
  format: ConfigurationFormat;
  onFormat: (format: ConfigurationFormat) => void;
}

/** The configuration as stored, as YAML or JSON. */
export function SourceCard(props: SourceCardProps): JSX.Element {
  const text = (): string =>
    props.format === 'yaml' ? props.source.configYaml : props.source.configJson;
  const save = (): void => {
    const mediaType = props.format === 'yaml' ? 'application/yaml' : 'application/json';
    downloadText(`${props.source.fileName}-config.${props.format}`, text(), mediaType);
  };
  return (
    <Card
      title="Configuration"
      description="As stored; secrets masked"
      controls={
        <>
          <ChoiceButtons labels={formats} chosen={props.format} onChoose={props.onFormat} />
          <Button
            size="small"
            icon="copy"
            onClick={() => void copyText(text(), 'the configuration')}
          >
            Copy
          </Button>
          <Button size="small" icon="download" onClick={save}>
            Download
          </Button>
        </>
      }
    >
      {props.format === 'yaml' ? (
        <pre class="source" tabIndex={0} role="region" aria-label="Configuration as YAML">
          {props.source.configYaml}
        </pre>
      ) : (
        <JsonView text={props.source.configJson} name="configuration" withoutCopy />
      )}
    </Card>
  );
}
