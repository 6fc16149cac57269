import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import { closed, flagField, numberField, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { ignoredFields } from '../ignored-fields.ts'
import type { ImageBody } from '../images/image-fields.ts'

/** A ControlNet unit, in the format of A1111's ControlNet extension. */
const unitSchema = closed({
  ...optional({
    enabled: flagField('Whether it is used.', true),
    image: Type.String({ description: 'Its image in base64; by default, that of `init_images`.' }),
    input_image: Type.String({ description: 'The older name for `image`.' }),
    model: Type.String({ maxLength: 400, description: 'A ControlNet by asset name; a hash in brackets after it is ignored.' }),
    module: Type.String({ default: 'none', description: '`none`: the image is used unchanged; `canny`: Sepia finds its edges.' }),
    weight: numberField(0, 10, 'Its strength.', 1),
    guidance_start: numberField(0, 1, 'Only 0: it counts from the first step.'),
    guidance_end: numberField(0, 1, 'Share of the steps after which it ends; 1 by default.'),
    control_mode: Type.Unknown({ description: 'Only `Balanced` or 0.' }),
    guessmode: Type.Literal(false, { description: 'Only `false`.' }),
    guess_mode: Type.Literal(false, { description: 'Only `false`.' }),
  }),
  ...ignoredFields(
    'resize_mode',
    'low_vram',
    'lowvram',
    'processor_res',
    'threshold_a',
    'threshold_b',
    'guidance',
    'pixel_perfect',
    'hr_option',
    'save_detected_map',
  ),
  mask: Type.Optional(Type.Literal('', { description: 'Only empty: a ControlNet counts everywhere.' })),
})
const unitsSchema = closed({ args: Type.Array(unitSchema, { maxItems: 16 }) })

/** The scripts of a request. Of all of A1111's scripts, Sepia supports only ControlNet. */
export const scriptsSchema = Type.Object(
  { ControlNet: Type.Optional(unitsSchema), controlnet: Type.Optional(unitsSchema) },
  {
    additionalProperties: Type.Unknown(),
    description: '`ControlNet` with its units; other scripts are rejected by name unless they are empty or off.',
  },
)

type Scripts = Static<typeof scriptsSchema>
type Unit = Static<typeof unitSchema>

function unitsOf({ ControlNet, controlnet }: Scripts): readonly Unit[] {
  return [ControlNet, controlnet].flatMap((script) => script?.args ?? []).filter(({ enabled = true }) => enabled)
}

const field = 'alwayson_scripts'

/** Finds scripts that Sepia does not support, and unsupported values in ControlNet units. */
export function findScriptFaults(scripts: Scripts, { startsFromPicture }: { readonly startsFromPicture: boolean }): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const add = (path: readonly string[], text: string) => faults.push(fieldFault([field, ...path], text, 'unsupported'))
  for (const [name, script] of Object.entries(scripts))
    if (!/^controlnet$/i.test(name) && !isSwitchedOff(script))
      add([name.slice(0, 60)], 'is not supported: the only script is ControlNet; remove it.')
  for (const { model = 'None', module = 'none', guidance_start: start = 0, control_mode: mode = 0, ...unit } of unitsOf(scripts)) {
    if (nameOf(model) === 'None') add(['ControlNet'], 'needs a `model` in each unit: name a ControlNet, or set `enabled` to false.')
    if (module !== 'none' && module !== 'canny')
      add(['ControlNet'], 'has a `module` that must be none or canny: preprocess the image yourself.')
    if (start !== 0) add(['ControlNet'], 'has a `guidance_start` that must be 0.')
    if (mode !== 0 && mode !== 'Balanced') add(['ControlNet'], 'has a `control_mode` that must be Balanced.')
    if (!startsFromPicture && (unit.image || unit.input_image || '') === '') add(['ControlNet'], 'needs an `image` in each unit.')
  }
  return faults
}

/** Whether a script is switched off: clients send every script they know with each request. */
function isSwitchedOff(script: unknown): boolean {
  if (!isRecord(script)) return script === null || script === undefined
  const { args = [] } = script
  return Array.isArray(args) && (args.length === 0 || args[0] === false || (isRecord(args[0]) && args[0].enabled === false))
}

/**
 * The ControlNets of a body's scripts as fields of /generate/image.
 *
 * @param picture The image for units without their own.
 */
export function readUnits(scripts: Scripts, picture = ''): Pick<ImageBody, 'controlnets'> {
  const controlnets = unitsOf(scripts).map(({ model = '', module = 'none', weight = 1, guidance_end: end = 1, ...unit }) => ({
    name: nameOf(model),
    image: unit.image || unit.input_image || picture,
    conditioning_scale: weight,
    early_stop: end,
    preprocess: module === 'canny',
  }))
  return controlnets.length === 0 ? {} : { controlnets }
}

/** A name without the hash that A1111 appends: `canny [d14c016b]`. */
export function nameOf(title: string): string {
  return title.replace(/ \[[0-9a-f]{4,64}\]$/i, '').replace(/\.(?:safetensors|ckpt|pth|pt)$/i, '')
}
