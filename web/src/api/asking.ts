/** Reads that survive an absence of the server. */
import { get } from '../store/state';
import { ApiError } from './client';

const RETRY_MS = 500;

/** Sends a read, and sends it again once the server is back if it did not answer, until a signal stops it. */
export async function untilAnswered<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'unreachable')) throw error;
      do await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      while (get().link === 'offline' && !signal?.aborted);
      if (signal?.aborted) throw error;
    }
  }
}
