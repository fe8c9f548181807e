import type { UnknownAction } from 'redux'

/** An action with what it carries. */
export interface ActionOf<Payload> extends UnknownAction {
  type: string
  payload: Payload
}

/** Makes the actions of one type, and tells them from others. */
export interface ActionCreator<Payload> {
  (payload: Payload): ActionOf<Payload>
  match(action: UnknownAction): action is ActionOf<Payload>
}

/** @param type for example "cart/reset" */
export function createAction<Payload = void>(type: string): ActionCreator<Payload> {
  const create = (payload: Payload): ActionOf<Payload> => ({ type, payload })
  const match = (action: UnknownAction): action is ActionOf<Payload> => action.type === type
  return Object.assign(create, { match })
}

/** Whether an action is one of several types. */
export const isAnyOf =
  <Payload>(...creators: ActionCreator<Payload>[]) =>
  (action: UnknownAction): action is ActionOf<Payload> =>
    creators.some((creator) => creator.match(action))
