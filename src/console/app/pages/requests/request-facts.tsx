import type { VNode } from 'preact'
import type { RequestShown } from '../../../contract/requests.ts'
import { wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'
import { kindTexts } from './kind-texts.ts'

const priorities = { normal: t`normal`, low: t`low` } as const

/** What was asked of which model, and what came out. */
export function RequestFacts({ shown }: { shown: RequestShown }): VNode {
  const { kind, model, account, token, inference, result } = shown
  const facts: (readonly [string, string])[] = [
    [t`Kind`, kindTexts[kind]],
    [t`Model`, model],
    ...(account === null ? [] : [[t`Account`, account] as const]),
    [t`Asked by`, token ?? t`the console`],
  ]
  if (result !== null) {
    const { promptTokens, completionTokens, images, durationMs } = result
    facts.push([t`Duration`, durationText(durationMs)], [t`Attempts`, '1'])
    if (images > 0) facts.push([t`Images`, String(images)])
    else facts.push([t`Prompt`, t`${wholeText(promptTokens)} tokens`], [t`Answer`, t`${wholeText(completionTokens)} tokens`])
  }
  if (inference !== null) facts.push([t`Priority`, priorities[inference.priority]], [t`Attempts`, String(inference.attempt)])
  if (inference?.output) {
    const { bytes, contentType, sha256 } = inference.output
    facts.push([t`Output`, `${byteText(bytes)}, ${contentType.split(';')[0]}`], ['SHA-256', sha256.slice(0, 16)])
  }
  return (
    <dl class="sheet facts">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
