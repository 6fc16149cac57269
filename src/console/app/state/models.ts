import { signal } from '@preact/signals'
import type { PlacedPull } from '../../../core/model-pull.ts'
import type { ImageAsset, ImageAssetList } from '../../contract/image-assets.ts'
import type { CallOrigins, ConsoleImageModel, ConsoleModel, ConsoleTextModel, LeftOutFile, ModelList } from '../../contract/models.ts'
import { request } from '../interface/request.ts'
import { imageRoute } from '../interface/submit-image.ts'
import { answersInOrder } from './answers-in-order.ts'

/** The service's models and their state; null before the first answer. */
export const models = signal<readonly ConsoleModel[] | null>(null)

/** Uploaded checkpoints that the user's drawings can use; null before the first answer. */
export const uploadedModels = signal<readonly ConsoleImageModel[] | null>(null)

/** LoRAs and other assets that the user's drawings can use. */
export const imageAssets = signal<readonly ImageAsset[]>([])

/** Running pulls. */
export const pulls = signal<readonly PlacedPull[]>([])

/** Files in the models folders that are not models; for owners. */
export const leftOutFiles = signal<readonly LeftOutFile[]>([])

/** Memory that models may use, in bytes; for owners, null = not known. */
export const modelMemory = signal<number | null>(null)

/** The origins of calls in code samples. */
export const origins = signal<CallOrigins>({ imageUrl: null, textUrl: null })

const ask = answersInOrder()

/** Loads the models, their state and running pulls. */
export async function loadModels(abort?: AbortSignal): Promise<void> {
  const isNewest = ask()
  const answer = await request<ModelList>('/console/api/models', { signal: abort })
  if (!isNewest()) return
  models.value = answer.models
  leftOutFiles.value = answer.leftOut ?? []
  modelMemory.value = answer.memoryBytes ?? null
  pulls.value = answer.pulls
  origins.value = answer.origins
}

/** Loads the checkpoints and assets for drawings. */
export async function loadImageModels(abort?: AbortSignal): Promise<void> {
  const [, { checkpoints, assets }] = await Promise.all([
    loadModels(abort),
    request<ImageAssetList>('/console/api/image-assets', { signal: abort }),
  ])
  uploadedModels.value = checkpoints
  imageAssets.value = assets
}

/** The models that draw: the service's, then uploaded ones. */
export function drawingModels(): readonly ConsoleImageModel[] {
  return [...modelsOf('image'), ...(uploadedModels.value ?? [])]
}

/** Ids of the upscalers. */
export function upscalerIds(): readonly string[] {
  return (models.value ?? []).filter((model) => 'enlarges' in model).map(({ id }) => id)
}

/** The route of an image model. An unknown model gets a default route, which reports it. */
export function imageRouteOf(modelId: string | undefined): string {
  const model = drawingModels().find(({ id }) => id === modelId)
  return imageRoute(model?.family ?? 'sdxl')
}

/** The known models of one kind, without upscalers; empty before the first answer. */
export function modelsOf<Kind extends ConsoleModel['kind']>(kind: Kind): readonly Extract<ConsoleModel, { kind: Kind }>[] {
  return (models.value ?? []).filter(
    (model): model is Extract<ConsoleModel, { kind: Kind }> => model.kind === kind && !('enlarges' in model),
  )
}

/** The language models for chats; encoders only make embeddings. */
export function chatModels(): readonly ConsoleTextModel[] {
  return modelsOf('text').filter(({ generates }) => generates)
}

/** The name of a chat model as a drop-down list shows it; its id when it is no longer installed. */
export function chatModelName(id: string): string {
  return modelChoices(chatModels()).find(({ value }) => value === id)?.label ?? id
}

/** Models for a drop-down list. Models of the same name, such as two quantizations, are distinguished by their ids. */
export function modelChoices(known: readonly ConsoleModel[]): readonly { readonly value: string; readonly label: string }[] {
  return known.map(({ id, name }) => {
    const shared = known.some((other) => other.id !== id && other.name === name)
    return { value: id, label: shared ? `${name} (${id})` : name }
  })
}
