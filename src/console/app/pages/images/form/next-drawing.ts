import type { ConsoleImageModel } from '../../../../contract/models.ts'
import type { ImageRequestBody } from '../../../interface/submit-image.ts'
import { t } from '../../../language/t.ts'
import { drawingModels, imageAssets, models, upscalerIds } from '../../../state/models.ts'
import { referencePictures } from '../start/reference-pictures-field.tsx'
import { startingImage } from '../start/starting-image.ts'
import { areControlnetsReady, controlnets } from './controlnets.ts'
import { abilitiesOf, type ImageAbilities } from './image-abilities.ts'
import { areNumbersRight, isWithin } from './image-ranges.ts'
import { imageRequestBody } from './image-request-body.ts'
import { type ImageSettings, imageSettings } from './image-settings.ts'
import { sizeFault } from './size-choices.ts'

/** The chosen model; undefined when it is no longer installed. */
export function chosenModel(): ConsoleImageModel | undefined {
  return drawingModels().find(({ id }) => id === imageSettings.value.model)
}

/** The features of the chosen model. */
export function chosenAbilities(model: ConsoleImageModel): ImageAbilities {
  return abilitiesOf(model, imageAssets.value, upscalerIds())
}

/**
 * The request of the Draw button.
 *
 * @param change Settings that differ.
 * @param nets The ControlNets.
 */
export function nextDrawing(model: ConsoleImageModel, change: Partial<ImageSettings> = {}, nets = controlnets.value): ImageRequestBody {
  const references = referencePictures.value.map(({ url }) => url)
  const parts = { start: startingImage.value, controlnets: nets, references, abilities: chosenAbilities(model) }
  return imageRequestBody({ ...imageSettings.value, ...change }, parts)
}

/** Why Draw is disabled; null = it is enabled. */
export function drawingFault(): string | null {
  const settings = imageSettings.value
  const model = chosenModel()
  // The installed models are unknown before the first answer.
  if (models.value === null) return t`Looking for models…`
  if (model === undefined) return t`No image model is installed.`
  if (settings.prompt.trim() === '') return t`Describe the image first.`
  if (sizeFault(settings, model) !== null || !areNumbersRight(settings) || !areClipsWithin(settings, model))
    return t`One of the numbers is invalid.`
  if (!areControlnetsReady()) return t`Choose an image for the ControlNet.`
  if (model.repaintsOnly && (startingImage.value?.mask ?? null) === null)
    return t`This model only inpaints: choose an image and paint a mask.`
  return null
}

function areClipsWithin({ clipSkip }: ImageSettings, model: ConsoleImageModel): boolean {
  return isWithin(clipSkip, { min: 0, max: chosenAbilities(model).clipSkip, step: 1 })
}
