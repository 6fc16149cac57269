import type { FieldFault } from '../../../core/error.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { ImageBody } from './image-fields.ts'

/** Says what of a request this model cannot do, as far as that is known before it is loaded. */
export function findBoundFaults({ id, bounds, defaults }: ImageModelDescriptor, body: ImageBody): readonly FieldFault[] {
  if (bounds === undefined) return []
  const faults: FieldFault[] = []
  const add = (field: string, text: string, kind: string) => faults.push({ path: [field], message: `\`${field}\` ${text}`, kind })
  const { clipSkip, lcmSteps, refusedSamplers, startsFromImage, takesSeeds } = bounds
  const { sampler = defaults.sampler, steps = defaults.steps } = body
  if (clipSkip !== null && (body.clip_skip ?? 0) > clipSkip)
    add('clip_skip', clipSkip === 0 ? `must be left out: ${id} has only one layer.` : `must be at most ${clipSkip} for ${id}.`, 'range')
  if (sampler === 'LCM' && lcmSteps !== null && steps > lcmSteps)
    add('steps', `must be at most ${lcmSteps} with the sampler LCM of ${id}.`, 'range')
  const lacking = refusedSamplers[sampler]
  if (lacking !== undefined) add('sampler', `must not be ${sampler}: ${id} has ${lacking}.`, 'unsupported')
  if (!startsFromImage && body.init_image !== undefined)
    add('init_image', `must be left out: ${id} cannot start from an image.`, 'unsupported')
  if (!takesSeeds && body.seed !== undefined)
    add('seed', `must be left out: ${id} runs on a server that does not support it.`, 'unsupported')
  return faults
}
