import { findPlaceholder, type Placeholder, placeholderPattern, type Workflow } from '../../../core/images/workflow.ts'
import { isRecord } from '../../../core/json-value.ts'

type Values = Readonly<Record<Placeholder, string | number>>

/** The workflow with every placeholder filled in; one that is a whole text keeps the value's type. */
export function fillWorkflow({ nodes }: Workflow, values: Values): unknown {
  return fill(nodes, values)
}

function fill(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const whole = findPlaceholder(/^\{\{(\w+)\}\}$/u.exec(value)?.[1])
    if (whole !== undefined) return values[whole]
    // A function, since a dollar sign in a prompt would be special in a text.
    return value.replaceAll(placeholderPattern, (text, name: string) => {
      const known = findPlaceholder(name)
      return known === undefined ? text : String(values[known])
    })
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fill(item, values))
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, values)]))
  return value
}
