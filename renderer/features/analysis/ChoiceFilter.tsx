import { createMemo, type JSX } from 'solid-js';
import { Check } from '#renderer/ui/Check.tsx';
import { SearchableList } from '#renderer/ui/SearchableList.tsx';
import { PopoverFilter } from '#renderer/ui/PopoverFilter.tsx';
import { getChoices, isChosen, toggleChoice } from './choices.ts';

interface ChoiceFilterProps {
  label: string;
  /** All choices. */
  options: readonly string[];
  /** The chosen ones; all when empty. */
  selection: readonly string[];
  /** Receives an empty list when all are chosen. */
  onChange: (selection: readonly string[]) => void;
  /** Returns the displayed text of a choice; default: the choice. */
  getName?: (name: string) => string;
}

/** A choice of several names: "Algorithms umda, pbil ▾". A chosen name outside the options is listed too. */
export function ChoiceFilter(props: ChoiceFilterProps): JSX.Element {
  const getLabel = (name: string): string => props.getName?.(name) ?? name;
  const choices = createMemo(() => getChoices(props.options, props.selection));
  const hasOneChoice = createMemo(
    () => choices().filter((name) => isChosen(props.selection, name)).length === 1,
  );
  return (
    <PopoverFilter
      label={props.label}
      summary={props.selection.length === 0 ? 'all' : props.selection.map(getLabel).join(', ')}
      onClear={() => props.onChange([])}
    >
      <SearchableList of={props.label.toLowerCase()} items={choices()} getName={props.getName}>
        {(name) => (
          <Check
            checked={isChosen(props.selection, name)}
            disabledReason={
              hasOneChoice() && isChosen(props.selection, name)
                ? 'Keep at least one selected.'
                : undefined
            }
            onChange={() => props.onChange(toggleChoice(choices(), props.selection, name))}
          >
            {getLabel(name)}
          </Check>
        )}
      </SearchableList>
    </PopoverFilter>
  );
}
