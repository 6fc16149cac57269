import type { CheckpointFamily } from '../../core/checkpoint/checkpoint-family.ts'
import type { ImageModelDescriptor, TextModelDescriptor } from '../../core/model.ts'
import type { ModelState } from '../../core/ports/model-pool.ts'

type Common = 'id' | 'name' | 'license' | 'bytes' | 'created'

interface Standing {
  readonly state: Omit<ModelState, 'modelId'>
}

/** A language model as the console shows it. */
export interface ConsoleTextModel
  extends Pick<TextModelDescriptor, Common | 'kind' | 'embeddings' | 'contextLength' | 'weights'>,
    Standing {
  /** Whether it makes text; encoders only make embeddings. */
  readonly generates: boolean
}

/** An image model as the console shows it. */
export interface ConsoleImageModel
  extends Pick<ImageModelDescriptor, Common | 'kind' | 'native' | 'draws' | 'sizes' | 'defaults' | 'bounds'>,
    Standing {
  readonly family: CheckpointFamily
  /** Whether it comes with a model that draws the last steps. */
  readonly refines: boolean
  /** Whether it can draw small first and then enlarge and draw over that. */
  readonly drawsTwice: boolean
  /** Whether LoRAs and other files of weights can be put into it. */
  readonly takesAssets: boolean
  /** Whether it was made to repaint parts of pictures and does nothing else. */
  readonly repaintsOnly: boolean
  /** How much larger it makes pictures, where that is all it does. */
  readonly enlarges?: number
}

/** A model as the console shows it: what it is and where it stands, without paths of the machine and addresses of its network. */
export type ConsoleModel = ConsoleTextModel | ConsoleImageModel

/** A model on its way, or how that ended. */
export interface ModelPull {
  readonly source: string
  readonly state: 'pulling' | 'done' | 'failed'
  readonly bytesDone: number
  /** 0 until the model's own list of files has arrived. */
  readonly bytesTotal: number
  /** Why it failed, or null. */
  readonly reason: string | null
}

/** Where calls that the console writes down for people go; null = where the console itself is. */
export interface CallOrigins {
  readonly imageUrl: string | null
  readonly textUrl: string | null
}

/** GET /console/api/models. */
export interface ModelList {
  readonly models: readonly ConsoleModel[]
  readonly pulls: readonly ModelPull[]
  readonly origins: CallOrigins
}

/** POST /console/api/models/load and /unload. */
export interface ModelChoice {
  readonly model: string
}

/** POST /console/api/models/pulls and /pulls/remove. */
export interface PullChoice {
  /** Web address of a `model.json`. */
  readonly source: string
}
