import type { JSX } from 'solid-js';
import { Card } from '#renderer/ui/Card.tsx';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { JsonView } from '#renderer/ui/JsonView.tsx';
import { TextButtons } from '#renderer/ui/TextButtons.tsx';

const formats = { yaml: 'YAML', json: 'JSON' } as const;
type ConfigurationFormat = keyof typeof formats;

/** A stored configuration, and the name of its file before `-config.yaml`. */
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
  return (
    <Card
      title="Configuration"
      description="As stored; secrets masked"
      controls={
        <>
          <ChoiceButtons labels={formats} chosen={props.format} onChoose={props.onFormat} />
          <TextButtons
            text={text()}
            name="the configuration"
            fileName={`${props.source.fileName}-config.${props.format}`}
            mediaType={`application/${props.format}`}
          />
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
