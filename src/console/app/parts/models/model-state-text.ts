import type { ConsoleModel } from '../../../contract/models.ts'
import { t } from '../../language/t.ts'

/** What one waits for while a model, or its server, is not there, and how far that is; null where it is. */
export function loadingText({ name, state, away }: Pick<ConsoleModel, 'name' | 'state' | 'away'>): string | null {
  if (away) return t`The server of ${name} does not answer; waiting for it.`
  switch (state.state) {
    case 'unloaded':
      return t`${name} is being loaded…`
    case 'loading':
      return state.loadProgress === undefined
        ? t`${name} is being loaded…`
        : t`${name} is being loaded: ${Math.floor(state.loadProgress * 100)} %`
    case 'backing-off':
      return t`${name} stopped and will be started again.`
    case 'loaded':
      return null
  }
}

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
