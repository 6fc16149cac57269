import type { CheckpointFamily } from '../../core/checkpoint/checkpoint-family.ts'
import type { ImageModelDescriptor, TextModelDescriptor } from '../../core/model.ts'
import type { FoundOnHub, PlacedPull } from '../../core/model-pull.ts'
import type { ModelState } from '../../core/ports/model-pool.ts'

type Common = 'id' | 'name' | 'license' | 'bytes' | 'created'

/** A server that runs a model for us. */
export interface ModelServer {
  readonly url: string
  /** The model's name there. */
  readonly model: string
  /** Whether it answered when it was last asked; null = nobody has asked it since the start. */
  readonly answers: boolean | null
  /** Why it did not; null = it did, or was not asked. */
  readonly reason: string | null
}

interface Standing {
  readonly state: Omit<ModelState, 'modelId'>
  /** What it is, as its model.json says; absent = it does not. */
  readonly description?: string
  /** Whether it runs on servers of which none answered when it was last asked; absent = no. */
  readonly away?: true
  /** For owners: where it runs; absent = on the service's own machines. */
  readonly servers?: readonly ModelServer[]
  /** For owners: whether it was pulled, and may be removed. */
  readonly removable?: boolean
}

/** A language model as the console shows it. */
export interface ConsoleTextModel
  extends Pick<TextModelDescriptor, Common | 'kind' | 'embeddings' | 'contextLength' | 'weights'>,
    Standing {
  /** Whether it makes text; encoders only make embeddings. */
  readonly generates: boolean
  /** Whether it looks at pictures in messages. */
  readonly looks: boolean
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

/** A model as the console shows it: what it is and where it stands, without paths of the machine; addresses of its network are for owners alone. */
export type ConsoleModel = ConsoleTextModel | ConsoleImageModel

/** Where calls that the console writes down for people go; null = where the console itself is. */
export interface CallOrigins {
  readonly imageUrl: string | null
  readonly textUrl: string | null
}

/** A file or folder among the models that is none, and why. */
export interface LeftOutFile {
  readonly file: string
  /** The end of a sentence about it, or a sentence. */
  readonly reason: string
}

/** GET /console/api/models. */
export interface ModelList {
  readonly models: readonly ConsoleModel[]
  /** For owners: what was left out of the models folders of the node that answers; absent = nothing. */
  readonly leftOut?: readonly LeftOutFile[]
  readonly pulls: readonly PlacedPull[]
  readonly origins: CallOrigins
}

/** POST /console/api/models/load, /unload and /remove. */
export interface ModelChoice {
  readonly model: string
}

/** POST /console/api/models/pulls and /pulls/remove. */
export interface PullChoice {
  /** Web address of a `model.json`. */
  readonly source: string
}

/** GET /console/api/models/search?words=…. */
export interface HubSearch {
  /** The most downloaded first. */
  readonly models: readonly FoundOnHub[]
  /** Why the hub could not be searched, as a sentence; null = it was. */
  readonly fault: string | null
}
