import { readFile } from 'node:fs/promises'
import { ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/is-record.ts'

/** What a workflow may leave open, written as `{{name}}`. */
export const placeholders = [
  'prompt',
  'negative_prompt',
  'seed',
  'steps',
  'cfg_scale',
  'width',
  'height',
  'sampler',
  'scheduler',
  'strength',
  'init_image',
  'mask_image',
] as const

export type Placeholder = (typeof placeholders)[number]

/** A workflow as ComfyUI exports it for its API, and what it leaves open. */
export interface Workflow {
  readonly nodes: Readonly<Record<string, unknown>>
  readonly open: ReadonlySet<Placeholder>
}

const pattern = /\{\{(\w+)\}\}/gu

/**
 * Reads a workflow file.
 *
 * @throws {ServiceError} `inference_failed` for what is no workflow of the API's format, has an unknown placeholder, or
 *   none for the prompt.
 */
export async function readWorkflow(file: string): Promise<Workflow> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw unusable('cannot be read', cause)
  })
  const nodes = parse(text)
  const named = [...text.matchAll(pattern)].map(([, name]) => name)
  const unknown = named.find((name) => !placeholders.some((known) => known === name))
  if (unknown !== undefined) throw unusable(`has the placeholder {{${unknown}}}; known are ${placeholders.join(', ')}`)
  const open = new Set(placeholders.filter((name) => named.includes(name)))
  if (!open.has('prompt')) throw unusable('has no {{prompt}}')
  return { nodes, open }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw unusable('is not valid JSON', cause)
  }
  // What is saved instead of exported has a list of nodes, which the API does not take.
  if (!isRecord(value) || Object.values(value).some((node) => !isRecord(node) || typeof node.class_type !== 'string'))
    throw unusable('must be exported in the API format: an object of nodes with a "class_type" each')
  return value
}

/** The workflow with every placeholder filled in; one that is a whole text keeps the value's type. */
export function fillWorkflow({ nodes }: Workflow, values: Readonly<Record<Placeholder, string | number>>): unknown {
  return fill(nodes, (name) => placeholders.find((known) => known === name), values)
}

function fill(
  value: unknown,
  find: (name: string) => Placeholder | undefined,
  values: Readonly<Record<Placeholder, string | number>>,
): unknown {
  if (typeof value === 'string') {
    const whole = find(/^\{\{(\w+)\}\}$/u.exec(value)?.[1] ?? '')
    if (whole !== undefined) return values[whole]
    // A function, since a dollar sign in a prompt would be special in a text.
    return value.replaceAll(pattern, (text, name: string) => {
      const known = find(name)
      return known === undefined ? text : String(values[known])
    })
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fill(item, find, values))
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, find, values)]))
  return value
}

function unusable(fault: string, cause?: unknown): ServiceError {
  return new ServiceError('inference_failed', `The model cannot be used: its workflow ${fault}.`, { cause })
}
