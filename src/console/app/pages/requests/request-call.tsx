import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import type { RequestCall } from '../../../contract/requests.ts'
import { serviceAddress } from '../../browser/base-path.ts'
import { makeId } from '../../browser/make-id.ts'
import { isDeferrable, runAgain } from '../../interface/inference-requests.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { CodeSample } from '../../parts/code-sample.tsx'
import { navigate } from '../../state/router.ts'
import { announce } from '../../state/toasts.ts'
import { callSamples } from './call-samples.ts'

/** The request as sent, with the ways to repeat it. */
export function RequestInput({ call }: { call: RequestCall }): VNode {
  const key = useRef(makeId())
  const code = useSignal(false)
  const body = JSON.stringify(call.body, null, 2)
  const isWhole = !body.includes('"<base64>"') && !body.includes('"<long text>"')
  const again = async () => {
    const id = await runAgain(call, key.current)
    key.current = makeId()
    navigate(`/console/requests/${encodeURIComponent(id)}`)
    announce(t`Request sent again.`)
  }
  return (
    <section class="sheet stack" aria-label={t`Input`}>
      <div class="row between">
        <h2>{t`Input`}</h2>
        <span class="row">
          <Button size="small" icon="code" onClick={() => (code.value = !code.value)}>
            {code.value ? t`Show as JSON` : t`Show as code`}
          </Button>
          {isDeferrable(call) ? <Button size="small" icon="again" disabled={!isWhole} onClick={again}>{t`Run again`}</Button> : null}
        </span>
      </div>
      {isWhole ? null : <p class="faint">{t`Its files and long texts aren’t stored, so you can’t run it again here.`}</p>}
      {code.value ? (
        <CodeSample samples={callSamples(serviceAddress(), call)} />
      ) : (
        <div class="code">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
          <pre tabIndex={0}>
            <code>{`POST ${call.path}\n${body}`}</code>
          </pre>
        </div>
      )}
    </section>
  )
}
