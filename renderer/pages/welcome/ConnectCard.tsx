import { createSignal, Show, type JSX } from 'solid-js';
import type { InspectionResult } from '#shared/schemas/databases.ts';
import { sslModes } from '#shared/words.ts';
import { call } from '#renderer/api/client.ts';
import { asProblemError, type ProblemError } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { Check } from '#renderer/ui/Check.tsx';
import {
  draft,
  getFaults,
  getPlace,
  typeIntoDraft,
  type ConnectDraft,
} from '#renderer/features/databases/connect-draft.ts';
import { busyWith, openPlace } from '#renderer/features/databases/opening.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import { Select } from '#renderer/ui/Select.tsx';
import { TextField } from '#renderer/ui/TextField.tsx';
import { getDesktopBridge } from '#renderer/desktop.ts';
import { Failure } from './Failure.tsx';

type Faults = Partial<Record<string, string>>;

/** Connects to a PostgreSQL database, optionally after a test. */
export function ConnectCard(props: { servers: readonly string[] | null }): JSX.Element {
  return (
    <Card
      title="Connect to PostgreSQL"
      description={
        props.servers?.length ? `Allowed servers: ${props.servers.join(', ')}.` : undefined
      }
    >
      <Show
        when={props.servers?.length !== 0}
        fallback={
          <p class="muted" id="connect">
            No PostgreSQL servers are allowed. Set <code>SVC_CHOOSE_POSTGRES</code> to allow some.
          </p>
        }
      >
        <ConnectForm />
      </Show>
    </Card>
  );
}

function ConnectForm(): JSX.Element {
  const [faults, setFaults] = createSignal<Faults>({});
  const [test, setTest] = createSignal<InspectionResult | 'running' | null>(null);
  const [failure, setFailure] = createSignal<string | null>(null);
  const [keepsPassword, setKeepsPassword] = createSignal(false);
  const begin = (): boolean => {
    setTest(null);
    setFailure(null);
    setFaults(getFaults(draft));
    return busyWith() === null && Object.keys(faults()).length === 0;
  };
  const fail = ({ detail, faults: found }: ProblemError): void => {
    const byField = found.map(({ path, message }) => [path.replace('postgres.', ''), message]);
    const fieldFaults = Object.fromEntries(
      byField.filter(([path = '']) => path in draft),
    ) as Faults;
    setFaults(fieldFaults);
    setFailure(Object.keys(fieldFaults).length === 0 ? detail : null);
  };
  const inspect = async (): Promise<void> => {
    if (!begin()) return;
    setTest('running');
    try {
      const result = await call('testDatabase', { body: getPlace(draft) as never });
      setTest(result);
      if (result.field !== null && result.field in draft)
        setFaults({ [result.field]: result.message });
    } catch (error) {
      setTest(null);
      fail(asProblemError(error));
    }
  };
  const connect = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!begin()) return;
    const problem = await openPlace(getPlace(draft), draft.database, keepsPassword());
    if (problem) fail(problem);
  };
  const field = (name: keyof ConnectDraft, label: string, more: object = {}) => (
    <TextField
      label={label}
      spellcheck={false}
      autocomplete="off"
      value={draft[name]}
      error={faults()[name]}
      onInput={(text) => {
        typeIntoDraft(name, text);
        setFaults(({ [name]: _fixed, ...others }) => others);
      }}
      {...more}
    />
  );
  return (
    <form id="connect" class="welcome-connect" onSubmit={(event) => void connect(event)}>
      {field('host', 'Server', { placeholder: 'localhost' })}
      {field('port', 'Port', { inputmode: 'numeric' })}
      {field('database', 'Database')}
      {field('schema', 'Schema (optional)', { placeholder: 'public' })}
      {field('user', 'User')}
      {field('password', 'Password', { type: 'password', autocomplete: 'new-password' })}
      <div class="welcome-connect-foot">
        <Select
          label="Encryption"
          value={draft.sslmode}
          options={sslModes}
          onChange={(value) => typeIntoDraft('sslmode', value)}
        />
        <Show when={getDesktopBridge()?.databases}>
          <Check checked={keepsPassword()} onChange={setKeepsPassword}>
            Save the password, encrypted
          </Check>
        </Show>
        <Button
          disabledReason={
            test() === 'running' ? 'Testing the connection.' : (busyWith() ?? undefined)
          }
          onClick={() => void inspect()}
        >
          Test
        </Button>
        <Button type="submit" kind="primary" disabledReason={busyWith() ?? undefined}>
          Connect
        </Button>
      </div>
      <div class="welcome-verdict" role="status">
        <Verdict test={test()} />
      </div>
      <Failure text={failure()} />
    </form>
  );
}

function Verdict(props: { test: InspectionResult | 'running' | null }): JSX.Element {
  const testResult = (): InspectionResult | null =>
    props.test !== null && props.test !== 'running' ? props.test : null;
  return (
    <>
      <Show when={props.test === 'running'}>Testing the connection…</Show>
      <Show when={testResult()}>
        {(test) => (
          <p classList={{ 'welcome-failure': test().verdict === 'refused' }}>
            <Icon name={test().verdict === 'runner' ? 'check' : 'warning'} size={12} />{' '}
            {test().message}
            {test().readOnly ? '. It is read-only.' : ''}
          </p>
        )}
      </Show>
    </>
  );
}
