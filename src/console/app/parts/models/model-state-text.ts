import type { ConsoleModel } from '../../../contract/models.ts'
import { t } from '../../language/t.ts'

const words = {
  unloaded: t`not loaded`,
  loading: t`loading`,
  loaded: t`loaded`,
  'backing-off': t`crashed, waiting`,
} as const satisfies Record<ConsoleModel['state']['state'], string>

/** Where a model stands, with how much of it is read where its engine tells. */
export function stateText({ state, loadProgress }: Pick<ConsoleModel['state'], 'state' | 'loadProgress'>): string {
  return loadProgress === undefined ? words[state] : `${words[state]} ${Math.floor(loadProgress * 100)} %`
}
