import type { ImageModelDescriptor, TextModelDescriptor } from '../core/model.ts'
import type { ModelState } from '../core/ports/model-pool.ts'

type Shown<Descriptor> = Omit<Descriptor, 'folder' | 'file'> & { readonly state: Omit<ModelState, 'modelId'> }

/** A model as the console shows it: what it is and where it stands, without paths of the machine. */
export type ConsoleModel = Shown<TextModelDescriptor> | Shown<ImageModelDescriptor>
