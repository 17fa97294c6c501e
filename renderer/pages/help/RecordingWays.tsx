import { A } from '@solidjs/router';
import type { JSX } from 'solid-js';
import { addresses } from '#shared/addresses.ts';
import { pagePaths } from '#shared/pages.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { Code } from './Code.tsx';
import { recordingScripts } from './examples.ts';

/** The ways in which runs get into the database, each with an example. */
export function RecordingWays(): JSX.Element {
  return (
    <Card
      title="Get your runs in"
      description="Live from any program, or finished from the files of other tools"
    >
      <div class="help-scripts">
        <p>
          Recording is off by default. Start the service with <code>--record</code>:
        </p>
        <Code name="Starting a service that records" text={recordingScripts.start} />
        <p>
          <code>evoscope</code> is the command of the npm and Python packages. In the folder of the
          source, use <code>npm run serve -- --record --db runs.db</code>,{' '}
          <code>npm start -- --record</code> for the window, and <code>npm run import --</code>{' '}
          instead of <code>evoscope import</code>. The settings of the window have a switch for
          recording too.
        </p>
        <p>
          Recorded runs appear at once, and a program learns when a user asks its run to stop. The
          examples read the URL of the service from an environment variable:
        </p>
        <Code name="URL of this service" text={`export EVOSCOPE_URL=${window.location.origin}`} />
        <p>
          If the service has a token, export it as <code>EVOSCOPE_TOKEN</code> too, and as{' '}
          <code>MLFLOW_TRACKING_TOKEN</code> for MLflow. The window shows its token in its settings.
        </p>
        <h3>Any language</h3>
        <p>
          Send one JSON object per line. The response lists the lines that were not stored, and the
          runs to stop. See{' '}
          <a href={`${addresses.getDocs.path}#record`} target="_blank">
            the types of records
          </a>
          .
        </p>
        <Code name="Recording with curl" text={recordingScripts.curl} />
        <h3>Python</h3>
        <p>
          The package <code>evoscope</code> sends in the background and has callbacks for pymoo,
          DEAP, Nevergrad, pycma, ioh and Optuna.
        </p>
        <Code name="Recording with Python" text={recordingScripts.python} />
        <h3>Java</h3>
        <p>
          One file without dependencies: save it as <code>RecordRun.java</code>.
        </p>
        <Code name="Recording with Java" text={recordingScripts.java} />
        <h3>Julia</h3>
        <p>
          One file without other packages: save it as <code>RecordRun.jl</code>.
        </p>
        <Code name="Recording with Julia" text={recordingScripts.julia} />
        <h3>MLflow</h3>
        <p>
          Programs that log to MLflow need no change but the tracking URI. A step is an iteration,
          and a requested stop is the tag <code>evoscope.stop</code> of the run.
        </p>
        <Code name="Recording with MLflow" text={recordingScripts.mlflow} />
        <h3>Files that ioh, COCO or pycma is writing</h3>
        <p>
          The command needs no service. Rows appear within 2 s. A run is RUNNING until the index (
          <code>.json</code>, <code>.info</code>) states its end. Of pycma it reads{' '}
          <code>fit.dat</code>, <code>parameters.json2</code> and <code>stoppings.json2</code> in{' '}
          <code>outcmaes/</code>. The page <A href={pagePaths.import}>Import</A> does the same with
          “Keep watching”.
        </p>
        <Code name="Watching a folder" text={recordingScripts.watch} />
        <h3>Finished runs</h3>
        <p>
          The page <A href={pagePaths.import}>Import</A> and the command read COCO, IOHprofiler and
          pycma data and tables.
        </p>
        <Code name="Importing finished runs" text={recordingScripts.import} />
      </div>
    </Card>
  );
}
