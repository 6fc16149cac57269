import type { ConsoleModel } from '../../../contract/models.ts'
import { navigate } from '../../state/router.ts'
import { changeChatSettings } from '../chat/chat-settings.ts'
import { chooseImageModel } from '../images/form/image-settings.ts'

/** Whether a model has a playground: encoders, rerankers and models that only enlarge have none. */
export function canBeTried(model: ConsoleModel): boolean {
  return model.kind === 'text' ? model.generates : !('enlarges' in model)
}

/** Opens the playground of a model with that model chosen; the models' page for those that have none. */
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
