import type { ComponentChildren, VNode } from 'preact'

interface FactsProps {
  /** Terms, each once, and their values. */
  readonly of: readonly (readonly [term: string, value: ComponentChildren])[]
  readonly class: string
}

/** A list of terms and values. */
export function Facts({ of, class: own }: FactsProps): VNode {
  return (
    <dl class={own}>
      {of.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
