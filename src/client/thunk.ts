import { createAsyncThunk } from '@reduxjs/toolkit'
import { failureOf } from './api-error.ts'
import type { RootState, ThunkExtra, ThunkTypes } from './state.ts'

/**
 * An action of the store that calls the API: pending, fulfilled, rejected with an `ApiFailure`.
 * @param type for example "cart/addItem"
 */
export const apiThunk = <Answer, Argument = void>(
  type: string,
  run: (argument: Argument, context: { extra: ThunkExtra; state: () => RootState }) => Promise<Answer>,
) =>
  createAsyncThunk<Answer, Argument, ThunkTypes>(
    type,
    async (argument, { extra, getState, rejectWithValue }) => {
      try {
        return await run(argument, { extra, state: getState })
      } catch (error) {
        return rejectWithValue(failureOf(error, extra.texts()))
      }
    },
  )
