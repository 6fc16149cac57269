import type { ConsoleModel } from '../../../contract/models.ts'
import { navigate } from '../../state/router.ts'
import { changeChatSettings } from '../chat/chat-settings.ts'
import { chooseImageModel } from '../images/form/image-settings.ts'

/** Opens the playground of a model with that model chosen; the models' page for those that have none. */
export function tryModel(model: ConsoleModel): void {
  if (model.kind === 'text' && model.generates) {
    changeChatSettings({ model: model.id })
    navigate('/console/chat')
  } else if (model.kind === 'image' && !('enlarges' in model)) {
    chooseImageModel(model)
    navigate('/console/images')
  } else navigate('/console/models')
}
