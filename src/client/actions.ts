import type { UnknownAction } from 'redux'
import { type ApiFailure, failureOf } from './api-error.ts'
import type { RootState, Thunk, ThunkExtra } from './state.ts'

interface ActionOf<Payload> extends UnknownAction {
  type: string
  payload: Payload
}

interface ActionCreator<Payload> {
  (payload: Payload): ActionOf<Payload>
  match(action: UnknownAction): action is ActionOf<Payload>
}

/** @param type for example "cart/reset" */
export function createAction<Payload = void>(type: string): ActionCreator<Payload> {
  const create = (payload: Payload): ActionOf<Payload> => ({ type, payload })
  const match = (action: UnknownAction): action is ActionOf<Payload> => action.type === type
  return Object.assign(create, { match })
}

export const isAnyOf =
  <Payload>(...creators: ActionCreator<Payload>[]) =>
  (action: UnknownAction): action is ActionOf<Payload> =>
    creators.some((creator) => creator.match(action))

/** `unwrap()` gives the response, or throws the `ApiFailure`. */
interface Outcome<Result> extends Promise<ActionOf<Result> | ActionOf<ApiFailure>> {
  unwrap(): Promise<Result>
}

interface ApiThunk<Result, Argument> {
  (argument: Argument): Thunk<Outcome<Result>>
  pending: ActionCreator<void>
  fulfilled: ActionCreator<Result>
  rejected: ActionCreator<ApiFailure>
}

/** An API call as actions: pending, fulfilled, or rejected with an `ApiFailure`. @param type such as "cart/addItem" */
export function apiThunk<Result, Argument = void>(
  type: string,
  run: (argument: Argument, context: { extra: ThunkExtra; state: () => RootState }) => Promise<Result>,
): ApiThunk<Result, Argument> {
  const pending = createAction(`${type}/pending`)
  const fulfilled = createAction<Result>(`${type}/fulfilled`)
  const rejected = createAction<ApiFailure>(`${type}/rejected`)

  const call =
    (argument: Argument): Thunk<Outcome<Result>> =>
    (dispatch, state, extra) => {
      dispatch(pending())
      // An exception of `run` also becomes a rejection.
      const response = Promise.resolve()
        .then(() => run(argument, { extra, state }))
        .catch((error: unknown): never => {
          throw failureOf(error, extra.texts())
        })
      const settled = response.then(
        (value) => dispatch(fulfilled(value)),
        (failure: ApiFailure) => dispatch(rejected(failure)),
      )
      return Object.assign(settled, { unwrap: async () => (await settled, await response) })
    }
  return Object.assign(call, { pending, fulfilled, rejected })
}
