import type { ConsoleModel } from '../../../contract/models.ts'
import { navigate } from '../../state/router.ts'
import { changeChatSettings } from '../chat/chat-settings.ts'
import { chooseImageModel } from '../images/form/image-settings.ts'

/** Whether a model has a playground. Encoders, rerankers and upscalers have none. */
export function canBeTried(model: ConsoleModel): boolean {
  return model.kind === 'text' ? model.generates : !('enlarges' in model)
}

/** Opens a model's playground with the model chosen, or the models page if it has none. */
export function tryModel(model: ConsoleModel): void {
  if (!canBeTried(model)) navigate('/console/models')
  else if (model.kind === 'text') {
    changeChatSettings({ model: model.id })
    navigate('/console/chat')
  } else {
    chooseImageModel(model)
    navigate('/console/images')
  }
}
