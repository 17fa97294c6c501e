import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { maximumParamColumns } from '#shared/words.ts';
import { useParamPaths } from '#renderer/api/queries.ts';
import { TextField } from '#renderer/components/TextField.tsx';
import { paramColumnId, paramsOf } from '#renderer/components/table/column-kinds.tsx';
import type { TableModel } from '#renderer/components/table/table-model.ts';

/** Most paths listed at once; the rest is found by typing. */
const listedPaths = 60;

/** Adds parameters of the experiments' configurations as columns. */
export function ParamChooser<Row>(props: { table: TableModel<Row> }): JSX.Element {
  const paths = useParamPaths(() => true);
  const [text, setText] = createSignal('');
  const chosen = () => paramsOf(props.table.chosen(), maximumParamColumns);
  const matching = createMemo(() => {
    const wanted = text().trim().toLowerCase();
    return (paths.data ?? []).filter(
      (path) => path.toLowerCase().includes(wanted) && !chosen().includes(path),
    );
  });
  const add = (path: string): void => {
    const { chosen: ids, isFixed, choose } = props.table;
    // Behind the columns that lead each row and the parameters there, so that it comes into view.
    const leading = ids().findLastIndex((id) => isFixed(id) || paramsOf([id], 1).length > 0);
    choose(ids().toSpliced(leading + 1, 0, paramColumnId(path)));
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
        <For each={matching().slice(0, listedPaths)}>
          {(path) => (
            <li>
              <label class="check">
                <input
                  type="checkbox"
                  checked={false}
                  disabled={chosen().length >= maximumParamColumns}
                  onChange={() => add(path)}
                />
                <span class="column-name mono" title={path}>
                  {path}
                </span>
              </label>
            </li>
          )}
        </For>
      </ul>
      <p class="param-note muted">
        <Show when={paths.error} fallback={note(matching().length, chosen().length)}>
          {(error) => error().detail}
        </Show>
      </p>
    </div>
  );
}

function note(matching: number, chosen: number): string {
  if (chosen >= maximumParamColumns) return `At most ${maximumParamColumns} parameters at once.`;
  if (matching > listedPaths) return `${matching - listedPaths} more; type to find them.`;
  return matching === 0 ? 'No parameter matches.' : '';
}
