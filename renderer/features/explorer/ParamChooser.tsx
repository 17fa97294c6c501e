import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { maximumParamColumns } from '#shared/words.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Check } from '#renderer/ui/Check.tsx';
import { TextField } from '#renderer/ui/TextField.tsx';
import { getParamColumnId, getParams } from './param-columns.ts';
import type { TableModel } from '#renderer/ui/table/table-model.ts';

/** Maximum number of paths in the list; typing finds the others. */
const maximumPaths = 60;

const fullNote = `At most ${maximumParamColumns} parameters at once.`;

/** Adds parameters of the experiments' configurations as columns. */
export function ParamChooser<Row>(props: { table: TableModel<Row> }): JSX.Element {
  const paths = useEndpoint('listParamPaths');
  const [text, setText] = createSignal('');
  const selectedParams = () => getParams(props.table.visibleIds(), maximumParamColumns);
  const matches = createMemo(() => {
    const needle = text().trim().toLowerCase();
    return (paths.data ?? []).filter(
      (path) => path.toLowerCase().includes(needle) && !selectedParams().includes(path),
    );
  });
  const isFull = (): boolean => selectedParams().length >= maximumParamColumns;
  const add = (path: string): void => {
    const { visibleIds: ids, isFixed, choose } = props.table;
    // After the leading columns and the parameters there, so that it is visible.
    const leading = ids().findLastIndex((id) => isFixed(id) || getParams([id], 1).length > 0);
    choose(ids().toSpliced(leading + 1, 0, getParamColumnId(path)));
  };
  return (
    <div class="popover-section">
      <TextField
        label="Parameters as columns"
        icon="search"
        placeholder="Parameter path"
        value={text()}
        onInput={setText}
      />
      <ul class="param-list">
        <For each={matches().slice(0, maximumPaths)}>
          {(path) => (
            <li>
              <Check
                checked={false}
                disabledReason={isFull() ? fullNote : undefined}
                onChange={() => add(path)}
              >
                <span class="clip mono" title={path}>
                  {path}
                </span>
              </Check>
            </li>
          )}
        </For>
      </ul>
      <p class="param-note muted">
        <Show when={paths.error} fallback={isFull() ? fullNote : describeMatches(matches().length)}>
          {(error) => error().detail}
        </Show>
      </p>
    </div>
  );
}

function describeMatches(count: number): string {
  if (count > maximumPaths) return `${count - maximumPaths} more; type to find them.`;
  return count === 0 ? 'No parameter matches.' : '';
}
