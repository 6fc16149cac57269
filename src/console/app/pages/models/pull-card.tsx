import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ModelPull, PlacedPull } from '../../../../core/model-pull.ts'
import type { PullChoice } from '../../../contract/models.ts'
import { send } from '../../interface/request.ts'
import { language } from '../../language/language.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { byteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'
import { loadModels } from '../../state/models.ts'
import { announce } from '../../state/toasts.ts'

/** A running pull, with a button to stop it. */
export function PullCard({ pull, mayChange }: { pull: PlacedPull; mayChange: boolean }): VNode {
  const { source, state, bytesDone, bytesTotal, node } = pull
  const before = useRef(state)
  useEffect(() => {
    // Pulls that had ended before the page was opened are not announced.
    if (before.current !== state && state !== 'pulling')
      announce(state === 'failed' ? t`${source} could not be pulled.` : t`${source} is ready to use.`)
    before.current = state
  }, [state])
  const remove = async () => {
    await send('/console/api/models/pulls/remove', { method: 'POST', body: { source } satisfies PullChoice })
    await loadModels()
    announce(state === 'pulling' ? t`Pull stopped.` : t`Pull cleared.`)
  }
  const again = async () => {
    await send('/console/api/models/pulls', { method: 'POST', body: { source } satisfies PullChoice })
    await loadModels()
  }
  return (
    <article class="sheet stack tight">
      <div class="row between">
        <code class="whole">{source}</code>
        {mayChange ? (
          <span class="row">
            {state === 'failed' ? <Button size="small" icon="again" onClick={again}>{t`Try again`}</Button> : null}
            <Button tone="quiet" size="small" onClick={remove} about={t`the pull of ${source}`}>
              {state === 'pulling' ? t`Stop` : t`Dismiss`}
            </Button>
          </span>
        ) : null}
      </div>
      {state === 'pulling' ? (
        <div
          class="bar"
          role="progressbar"
          aria-label={t`Pulling ${source}`}
          aria-valuemin={0}
          aria-valuemax={bytesTotal || 1}
          aria-valuenow={bytesDone}
        >
          <div style={{ width: `${bytesTotal > 0 ? (bytesDone / bytesTotal) * 100 : 0}%` }} />
        </div>
      ) : null}
      {state === 'failed' && pull.reason !== null ? (
        <PullFault reason={pull.reason} />
      ) : (
        <p class={state === 'failed' ? 'note bad' : 'faint numbers'}>{progressText(pull)}</p>
      )}
      {node === null ? null : <p class="faint">{t`On the node ${node}`}</p>}
    </article>
  )
}

/** The failure as a sentence, followed by its cause. */
function PullFault({ reason }: { reason: string }): VNode {
  const [first = reason, ...causes] = reason.split(' ← ')
  return (
    <div class="note bad" lang="en">
      <span>{first}</span>
      {causes.length === 0 ? null : (
        <details>
          <summary lang={language}>{t`Details`}</summary>
          {causes.map((cause) => (
            <div key={cause}>{cause}</div>
          ))}
        </details>
      )}
    </div>
  )
}

function progressText({ state, bytesDone, bytesTotal, bytesPerSecond }: ModelPull): string {
  if (state === 'done') return t`${byteText(bytesTotal)} downloaded and verified. The model is ready to use.`
  if (state === 'failed') return t`It failed. Owners can see why.`
  if (bytesTotal === 0) return t`Reading its list of files…`
  const rate = bytesPerSecond === null ? [] : bytesPerSecond < 1 ? [t`stalled`] : [t`${byteText(bytesPerSecond)} a second`]
  const left =
    bytesPerSecond !== null && bytesPerSecond >= 1 ? [t`${durationText(((bytesTotal - bytesDone) / bytesPerSecond) * 1000)} left`] : []
  return [t`${byteText(bytesDone)} of ${byteText(bytesTotal)}`, ...rate, ...left].join(' · ')
}
