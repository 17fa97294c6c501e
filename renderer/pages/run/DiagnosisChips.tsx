import { Show, type JSX } from 'solid-js';
import { Icon, type IconName } from '#renderer/ui/Icon.tsx';
import { Keyed } from '#renderer/ui/Keyed.tsx';
import { TermCard } from '#renderer/ui/TermCard.tsx';
import { useUrl } from '#renderer/state/url.ts';
import {
  getDiagnosisName,
  getEvidencePlace,
  type Diagnoses,
} from '#renderer/features/runs/diagnoses.ts';
import './diagnosis.css';

type Diagnosis = Diagnoses[number];

const icons: Readonly<Record<Diagnosis['severity'], IconName>> = {
  good: 'check',
  info: 'runs',
  warning: 'warning',
  error: 'warning',
};

/** The diagnoses of a run; each opens its evidence (tab, chart and mark) and shows its sentence. */
export function DiagnosisChips(props: { diagnoses: Diagnoses }): JSX.Element {
  const url = useUrl();
  const selected = (): Diagnosis | undefined =>
    props.diagnoses.find(({ code }) => code === url.texts('finding')[0]);
  const choose = (diagnosis: Diagnosis): void => {
    const isOpen = selected()?.code === diagnosis.code;
    url.write(
      isOpen ? { finding: undefined, show: undefined } : getEvidencePlace(diagnosis),
      'push',
    );
  };
  return (
    <Show when={props.diagnoses.length > 0}>
      <section class="diagnosis" aria-label="Diagnosis">
        <Keyed each={props.diagnoses} by={({ code }) => code}>
          {(diagnosis) => (
            <span class={`diagnosis-chip diagnosis-${diagnosis().severity}`}>
              <button
                type="button"
                aria-pressed={selected()?.code === diagnosis().code}
                onClick={() => choose(diagnosis())}
              >
                <Icon name={icons[diagnosis().severity]} size={12} />
                {getDiagnosisName(diagnosis().code)}
              </button>
              <TermCard
                isMark
                id={diagnosis().code}
                name={getDiagnosisName(diagnosis().code)}
                note={diagnosis().message}
              />
            </span>
          )}
        </Keyed>
        <p role="status" class="muted">
          {selected()?.message}
        </p>
      </section>
    </Show>
  );
}
