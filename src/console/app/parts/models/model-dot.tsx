import type { VNode } from 'preact'
import { colourOf } from '../../state/model-colours.ts'

/** A dot in the model's colour, beside its name. */
export function ModelDot({ model }: { model: string }): VNode {
  return <i class={`model-dot shade-${colourOf(model)}`} aria-hidden="true" />
}
