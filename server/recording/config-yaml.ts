import { Document, type ScalarTag } from 'yaml';
import { JavaNumber, type JavaObject } from './java-json.ts';

/** Prints the numbers of a configuration with the very digits that its JSON has. */
const javaNumberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof JavaNumber,
  resolve: (text) => new JavaNumber(text),
  stringify: ({ value }) => (value instanceof JavaNumber ? value.text : String(value)),
};

/** A configuration as YAML in the layout of the runner: texts quoted, sequences not indented. */
export function configYaml(config: JavaObject): string {
  const document = new Document(config, { customTags: (tags) => [javaNumberTag, ...tags] });
  const text = document.toString({
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    indentSeq: false,
    lineWidth: 0,
  });
  return `---\n${text}`;
}
