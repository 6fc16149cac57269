import type { VNode } from 'preact'
import type { RequestShown } from '../../../contract/requests.ts'
import { byteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'

/** What was asked of which model, and what came out. */
export function RequestFacts({ shown }: { shown: RequestShown }): VNode {
  const { kind, model, account, token, inference, result } = shown
  const facts: (readonly [string, string])[] = [
    ['Kind', kind],
    ['Model', model],
    ...(account === null ? [] : [['Account', account] as const]),
    ['Asked by', token ?? 'the console'],
  ]
  if (result !== null) {
    const { promptTokens, completionTokens, images, durationMs } = result
    facts.push(['Took', durationText(durationMs)], ['Attempts', '1'])
    if (images > 0) facts.push(['Images', String(images)])
    else facts.push(['Prompt', `${promptTokens.toLocaleString()} tokens`], ['Answer', `${completionTokens.toLocaleString()} tokens`])
  }
  if (inference !== null) facts.push(['Priority', inference.priority], ['Attempts', String(inference.attempt)])
  if (inference?.output) {
    const { bytes, contentType, sha256 } = inference.output
    facts.push(['Output', `${byteText(bytes)}, ${contentType.split(';')[0]}`], ['SHA-256', sha256.slice(0, 16)])
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
