import type { VNode } from 'preact'
import type { Inference } from '../../../../core/inference.ts'
import { byteText } from '../../parts/byte-text.ts'

/** What was asked of which model, and what came out. */
export function RequestFacts({ inference, token }: { inference: Inference; token: string | null }): VNode {
  const facts: (readonly [string, string])[] = [
    ['Kind', inference.kind],
    ['Model', inference.model],
    ['Asked by', token ?? 'the console'],
    ['Priority', inference.priority],
    ['Attempts', String(inference.attempt)],
  ]
  if (inference.output) {
    facts.push(
      ['Output', `${byteText(inference.output.bytes)}, ${inference.output.contentType.split(';')[0]}`],
      ['SHA-256', inference.output.sha256.slice(0, 16)],
    )
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
