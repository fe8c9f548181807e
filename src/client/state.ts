import { createContext, use, useSyncExternalStore } from 'react'
import type { Dispatch, Store, UnknownAction } from 'redux'
import type { ApiCall } from './api-call.ts'
import type { FailureTexts } from './api-error.ts'
import type { Session } from './session.ts'

export type LoadStatus = 'idle' | 'loading' | 'succeeded' | 'failed'

export interface Loading {
  loading: boolean
  error: string | null
}

export interface AuthState extends Loading {
  isAuthenticated: boolean
}

/** The areas of the client store (spec sections 3 and 4); each slice declares its own here. */
export interface RootState {
  auth: AuthState
}

export interface ThunkExtra {
  call: () => ApiCall
  session: () => Session
  texts: () => FailureTexts
}

export type Thunk<Result> = (dispatch: AppDispatch, state: () => RootState, extra: ThunkExtra) => Result

export type AppDispatch = Dispatch & (<Result>(thunk: Thunk<Result>) => Result)

export type AppStore = Omit<Store<RootState, UnknownAction>, 'dispatch'> & { dispatch: AppDispatch }

/** The store of the page and the state that the server rendered. */
export const StoreContext = createContext<{ store: AppStore; serverState: RootState } | null>(null)

export const useAppDispatch = (): AppDispatch => usePageStore().store.dispatch

/** A part of the store. @param select must not create objects */
export function useAppSelector<Selected>(select: (state: RootState) => Selected): Selected {
  const { store, serverState } = usePageStore()
  return useSyncExternalStore(
    store.subscribe,
    () => select(store.getState()),
    () => select(serverState),
  )
}

function usePageStore(): { store: AppStore; serverState: RootState } {
  const page = use(StoreContext)
  if (!page) throw new Error('there is no store around this component')
  return page
}

export const useIsAuthenticated = (): boolean => useAppSelector((state) => state.auth.isAuthenticated)
