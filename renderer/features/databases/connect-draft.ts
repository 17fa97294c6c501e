import { createStore } from 'solid-js/store';
import type { OpenedLocation } from '#shared/desktop.ts';
import { sslModes } from '#shared/words.ts';

/** The typed values of the form for a PostgreSQL database, as text. */
export interface ConnectDraft {
  host: string;
  port: string;
  database: string;
  user: string;
  password: string;
  sslmode: string;
  schema: string;
}

const emptyDraft: ConnectDraft = {
  host: '',
  port: '5432',
  database: '',
  user: '',
  password: '',
  sslmode: 'prefer',
  schema: '',
};

const [draft, setDraft] = createStore<ConnectDraft>({ ...emptyDraft });
export { draft };

/** Changes one field of the form. */
export function typeIntoDraft(field: keyof ConnectDraft, text: string): void {
  setDraft(field, text);
}

/** Fills the form with a database that was opened before, without its password. */
export function beginDraft(postgres: NonNullable<OpenedLocation['postgres']>): void {
  const { host, port, database, user = '', sslmode, schema = '' } = postgres;
  setDraft({ host, port: String(port), database, user, password: '', sslmode, schema });
}

/** Returns the errors of the form before anything is sent, by field; empty when it is valid. */
export function getFaults({ host, port, database }: ConnectDraft): Partial<ConnectDraft> {
  const isPort = /^\d{1,5}$/.test(port.trim()) && Number(port) >= 1 && Number(port) <= 65_535;
  return {
    ...(host.trim() === '' && { host: 'Enter the name or address of the server.' }),
    ...(!isPort && { port: 'Enter a whole number from 1 to 65535.' }),
    ...(database.trim() === '' && { database: 'Enter the name of the database.' }),
  };
}

/** Returns the form values as sent to the service; empty optional fields are omitted. */
export function getPlace(form: ConnectDraft): Required<Pick<OpenedLocation, 'postgres'>> {
  const { host, port, database, password, sslmode } = form;
  const [user, schema] = [form.user.trim(), form.schema.trim()];
  return {
    postgres: {
      host: host.trim(),
      port: Number(port),
      database: database.trim(),
      sslmode: sslModes.find((mode) => mode === sslmode) ?? 'prefer',
      ...(user && { user }),
      ...(password && { password }),
      ...(schema && { schema }),
    },
  };
}
