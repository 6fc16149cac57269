import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { durationText } from '../../../parts/duration-text.ts'
import { FailureBox } from '../../../parts/failure-note.tsx'
import { loadingText } from '../../../parts/models/model-state-text.ts'
import { loadModels, modelsOf } from '../../../state/models.ts'
import { useRepeat } from '../../../state/repeat.ts'
import { progressText } from '../../requests/timeline-events.ts'
import { cancelRun, drawAgain, type ImageRun, isRunOpen } from './image-runs.ts'
import { Plate, repeatFault } from './plate.tsx'

/** One run: its prompt, progress and pictures. */
export function RunView({ run }: { run: ImageRun }): VNode {
  const open = isRunOpen(run)
  const { width, height, steps, sampler, num_images: count = 1 } = run.body
  return (
    <article class="run" data-state={run.state}>
      <header class="run-head">
        <h2 dir="auto" title={run.body.prompt}>
          {run.body.prompt}
        </h2>
        <span class="faint numbers">
          {`${width} × ${height}, ${t.count(steps, { one: '# step', other: '# steps' })}, ${sampler}`}
          {run.computeMs === null ? '' : `, ${durationText(run.computeMs)}`}
        </span>
      </header>
      {run.failure ? (
        <FailureBox text={run.failure} language={run.failureLanguage} requestId={run.failedRequestId} cause={run.failureCause} role="alert">
          <Again run={run} label={t`Try again`} />
        </FailureBox>
      ) : null}
      {run.state === 'cancelled' ? (
        <div class="note">
          <span>{t`Cancelled.`}</span>
          <Again run={run} label={t`Draw anyway`} />
        </div>
      ) : null}
      {open ? (
        <>
          <Progress run={run} />
          <div class={count === 1 ? 'plates single' : 'plates'}>
            {Array.from({ length: count }, (_, index) => (
              <DevelopingPlate key={index} run={run} first={index === 0} />
            ))}
          </div>
        </>
      ) : null}
      {run.images.length > 0 ? (
        <div class={run.images.length === 1 ? 'plates single' : 'plates'}>
          {run.images.map((image) => (
            <Plate key={image.index} run={run} image={image} />
          ))}
        </div>
      ) : null}
    </article>
  )
}

function Again({ run, label }: { run: ImageRun; label: string }): VNode {
  const fault = repeatFault(run)
  return (
    <Button size="small" icon="again" disabled={fault !== undefined} reason={fault} onClick={() => void drawAgain(run)}>
      {label}
    </Button>
  )
}

const refreshMs = 1000

function Progress({ run }: { run: ImageRun }): VNode {
  const { progress } = run
  // Loading a model can take longer than the drawing.
  useRepeat(
    useCallback(() => loadModels().catch(() => undefined), []),
    progress === null ? refreshMs : null,
  )
  const text = run.connectionLost
    ? t`Connection lost. The drawing continues; reconnecting…`
    : progress
      ? progressText(progress)
      : waitingText(run)
  return (
    <div class="stack tight">
      <div class="row between">
        <span class="soft numbers">{text}</span>
        <Button tone="quiet" size="small" icon="stop" disabled={run.cancelWanted} onClick={() => cancelRun(run)}>{t`Cancel`}</Button>
      </div>
      <div
        class="bar"
        role="progressbar"
        aria-label={t`Drawing`}
        aria-valuemin={0}
        aria-valuemax={progress?.total ?? 1}
        aria-valuenow={progress?.step ?? 0}
      >
        <div style={{ width: `${progress ? (progress.step / progress.total) * 100 : 0}%` }} />
      </div>
    </div>
  )
}

function waitingText({ state, queuePosition, body: { checkpoint } }: ImageRun): string {
  const model = modelsOf('image').find(({ id }) => id === checkpoint)
  // Behind other requests, it waits for its turn, which cannot come without a server.
  const isDue = (queuePosition ?? 0) <= 1 || model?.away
  const loading = state === 'sending' || model === undefined || !isDue ? null : loadingText(model)
  if (loading !== null) return loading
  if (state === 'drawing') return t`Preparing…`
  return queuePosition ? t`Number ${queuePosition} in the queue` : t`Waiting…`
}

/** The frame of a picture in progress. */
function DevelopingPlate({ run, first }: { run: ImageRun; first: boolean }): VNode {
  return (
    <div class="plate">
      <div class="plate-picture developing" style={{ aspectRatio: `${run.body.width} / ${run.body.height}` }}>
        {first && run.preview ? (
          <img src={run.preview} alt={t`Preview`} />
        ) : (
          <div class="ghost" style={{ width: '100%', height: '100%' }} />
        )}
      </div>
    </div>
  )
}
