import type { JSX } from 'solid-js';
import { Check } from '#renderer/ui/Check.tsx';
import { SearchableList } from '#renderer/ui/SearchableList.tsx';
import { PopoverFilter } from '#renderer/ui/PopoverFilter.tsx';

interface ChoiceFilterProps {
  label: string;
  /** All choices. */
  options: readonly string[];
  /** The chosen ones; all when empty. */
  chosen: readonly string[];
  /** Receives an empty list when all are chosen. */
  onChange: (chosen: readonly string[]) => void;
  /** Returns how a choice is shown; default: itself. */
  getName?: (name: string) => string;
}

/** A choice of several names: "Algorithms umda, pbil ▾". */
export function ChoiceFilter(props: ChoiceFilterProps): JSX.Element {
  const isChosen = (name: string): boolean =>
    props.chosen.length === 0 || props.chosen.includes(name);
  const shown = (name: string): string => props.getName?.(name) ?? name;
  const toggle = (name: string): void => {
    const next = props.options.filter((other) => isChosen(other) !== (other === name));
    props.onChange(next.length === props.options.length ? [] : next);
  };
  return (
    <PopoverFilter
      label={props.label}
      summary={props.chosen.length === 0 ? 'all' : props.chosen.map(shown).join(', ')}
      onClear={() => props.onChange([])}
    >
      <SearchableList of={props.label.toLowerCase()} items={props.options} getName={props.getName}>
        {(name) => (
          <Check
            checked={isChosen(name)}
            disabledReason={
              props.chosen.length === 1 && isChosen(name)
                ? 'At least one must be chosen.'
                : undefined
            }
            onChange={() => toggle(name)}
          >
            {shown(name)}
          </Check>
        )}
      </SearchableList>
    </PopoverFilter>
  );
}
