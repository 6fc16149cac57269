import { isRecord } from '../json-value.ts'

/** Placeholders of a workflow, written as `{{name}}`. */
const placeholders = [
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

/** A workflow exported by ComfyUI for its API, with its placeholders. */
export interface Workflow {
  readonly nodes: Readonly<Record<string, unknown>>
  readonly open: readonly Placeholder[]
}

/** Matches placeholders in a text. */
export const placeholderPattern = /\{\{(\w+)\}\}/gu

/** The placeholder with a name, or undefined. */
export function findPlaceholder(name: string | undefined): Placeholder | undefined {
  return placeholders.find((known) => known === name)
}

/**
 * Reads the text of a workflow file.
 *
 * @returns The workflow, or its fault as the end of a sentence that names the file: not in the API format, an unknown placeholder, or none
 * for the prompt.
 */
export function parseWorkflow(text: string): Workflow | { readonly fault: string } {
  const nodes = parse(text)
  if (nodes === undefined) return { fault: 'is not valid JSON; export it again' }
  // Workflows saved for the editor have a list of nodes, which the API rejects.
  if (isRecord(nodes) && Array.isArray(nodes.nodes)) return { fault: 'was saved for the editor; export it in ComfyUI with "Export (API)"' }
  if (!isRecord(nodes) || Object.values(nodes).some((node) => !isRecord(node) || typeof node.class_type !== 'string'))
    return { fault: 'must be exported in the API format: an object of nodes with a "class_type" each' }
  const named = [...text.matchAll(placeholderPattern)].map(([, name]) => name)
  const unknown = named.find((name) => findPlaceholder(name) === undefined)
  if (unknown !== undefined)
    return { fault: `has the unknown placeholder {{${unknown.slice(0, 100)}}}; use one of ${placeholders.join(', ')}` }
  const open = placeholders.filter((name) => named.includes(name))
  return open.includes('prompt') ? { nodes, open } : { fault: 'has no {{prompt}}; write it where the prompt goes' }
}

function parse(text: string): unknown {
  try {
    // Some editors start files with a byte-order mark.
    return JSON.parse(text.replace(/^\uFEFF/u, ''))
  } catch {
    return undefined
  }
}
