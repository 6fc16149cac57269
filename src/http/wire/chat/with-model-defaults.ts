import { isRecord } from '../../../core/json-value.ts'
import type { TextDefaults } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'

const fieldNames = {
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  minP: ['min_p'],
  repetitionPenalty: ['repetition_penalty', 'repeat_penalty'],
} as const satisfies Record<keyof TextDefaults, readonly string[]>

/**
 * Fills the sampling fields that a body leaves out with the defaults of its model's `model.json`.
 *
 * @param takes The parameters that the route has fields for.
 */
export function withModelDefaults(
  catalog: Pick<ModelCatalog, 'find'>,
  body: unknown,
  takes: readonly (keyof TextDefaults)[] = ['temperature', 'topP', 'topK', 'minP', 'repetitionPenalty'],
): unknown {
  if (!isRecord(body) || typeof body.model !== 'string') return body
  const model = catalog.find(body.model)
  if (model?.kind !== 'text' || model.defaults === undefined) return body
  const filled: Record<string, number> = {}
  for (const parameter of takes) {
    const value = model.defaults[parameter]
    const names = fieldNames[parameter]
    if (value !== undefined && names.every((name) => (body[name] ?? null) === null)) filled[names[0]] = value
  }
  return { ...body, ...filled }
}
