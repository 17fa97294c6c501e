import type { JSX } from 'solid-js';
import { Card } from '#renderer/ui/Card.tsx';
import { Code } from './Code.tsx';
import { assistantConfigurations } from './examples.ts';

/** Card with the configurations that add Evoscope to an assistant, and the abilities of the assistant. */
export function Assistants(): JSX.Element {
  return (
    <Card
      title="Ask an assistant"
      description="Clients of the Model Context Protocol (MCP) find, describe and compare your runs"
    >
      <div class="help-scripts">
        <p>
          Add this service to the configuration of the client. Omit <code>headers</code> if the
          service has no token:
        </p>
        <Code name="Configuration for this service" text={getHttpConfiguration()} />
        <p>
          Or let the client start Evoscope with the file. It then needs no running service, also
          works next to one, and only reads:
        </p>
        <Code name="Configuration with a command" text={assistantConfigurations.command} />
        <p>
          Results contain the claims that the tests support, all notes, and what the tests do not
          support, with a link to the page that shows the same. Names, notes and error messages from
          the database are marked as data. An assistant can never delete anything. It can stop runs
          only if you start Evoscope with <code>--mcp-control</code> or <code>--record</code>.
        </p>
      </div>
    </Card>
  );
}

/** Returns the configuration with the address of this service. */
function getHttpConfiguration(): string {
  return assistantConfigurations.http.replace('http://127.0.0.1:7070', window.location.origin);
}
