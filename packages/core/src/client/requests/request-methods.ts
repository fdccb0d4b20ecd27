import type { FetchInit, FetchInput } from "../../resources/fetch-init.ts";
import { fetchWithClient } from "../../resources/fetch.ts";
import { checkArgument, checkOptions } from "../../options/check-options.ts";
import { plainObjectKind } from "../../options/option-kinds.ts";
import {
  type OperationResult,
  type PutOptions,
  toUploadStream,
  type UploadBody,
} from "../../scheme/operation.ts";
import type { Plan, PlanOptions } from "../../scheme/plan.ts";
import type { Resource } from "../../scheme/resource.ts";
import type { Url } from "../../syntax/index.ts";
import type { OperationPlanOptions } from "../client.ts";
import {
  type ClientState,
  createOperationDispatcher,
  createOperationHandler,
  dereferenceOperation,
} from "../operation-dispatcher.ts";
import { addRequestDefaults } from "./extend.ts";
import { type DereferenceOptions, PLAN_OPTION_KINDS, PUT_OPTION_KINDS } from "../options.ts";
import { createReadMethods, type ReadMethods } from "./read-methods.ts";
import { isRepeatableBody } from "./retry-options.ts";

type RequestMethodName = "plan" | "dereference" | "stat" | "fetch" | "put" | "delete" | "mkdir" | "rename";

/** The methods of a client that plan and execute requests. */
export interface RequestMethods
  extends ReadMethods, Readonly<Record<Exclude<RequestMethodName, "plan">, unknown>> {
  readonly plan: (input: string | Url, planOptions?: PlanOptions & OperationPlanOptions) => Plan;
}

export function createRequestMethods(state: ClientState): RequestMethods {
  const { registry, parseUrlInput, checkRequestOptions, options: clientOptions } = state;
  const dispatcher = createOperationDispatcher(state);
  const dereference = dispatcher.dispatch.bind(undefined, dereferenceOperation);

  async function put(
    input: string | Url,
    body: UploadBody,
    putOptions: DereferenceOptions & PutOptions = {},
  ): Promise<OperationResult> {
    checkArgument("put", "options", putOptions, plainObjectKind);
    const { atomic, offset, mediaType, size, ...requestOptions } = putOptions;
    checkOptions("put", { atomic, offset, mediaType, size }, PUT_OPTION_KINDS);
    const upload = toUploadStream(body, size);
    const content = {
      atomic,
      offset,
      mediaType,
      size: upload.size,
      // Each attempt of the request reads the body from its start.
      get upload() {
        return toUploadStream(body, size);
      },
    };
    const isRepeatable = offset !== "end" && isRepeatableBody(body);
    const operation = createOperationHandler("put", content, isRepeatable);
    return dispatcher.dispatch(operation, input, requestOptions, PUT_OPTION_KINDS);
  }

  async function rename(
    input: string | Url,
    to: string | Url,
    requestOptions?: DereferenceOptions,
  ): Promise<OperationResult> {
    return dispatcher.dispatch(
      createOperationHandler("rename", { to: parseUrlInput(to) }),
      input,
      requestOptions,
    );
  }

  function plan(input: string | Url, planOptions: PlanOptions & OperationPlanOptions = {}): Plan {
    checkArgument("plan", "options", planOptions, plainObjectKind);
    const { operation: name, to, ...schemeOptions } = planOptions;
    const url = parseUrlInput(input);
    checkRequestOptions("plan", planOptions, url.scheme, PLAN_OPTION_KINDS);
    const asked = addRequestDefaults(state, url, schemeOptions as PlanOptions);
    const operation = name
      ? createOperationHandler(name, to === undefined ? {} : { to: parseUrlInput(to) })
      : dereferenceOperation;
    return dispatcher.plan(operation, url, {
      ...asked,
      email: asked.email ?? clientOptions.email,
    });
  }

  return {
    plan,
    dereference,
    ...createReadMethods(dereference as () => Promise<Resource>, findDefaultRetry(state)),
    stat: dispatcher.dispatch.bind(undefined, createOperationHandler("stat")),
    fetch: (input: FetchInput, init?: FetchInit) =>
      fetchWithClient(
        {
          parseUrlInput,
          checkRequestOptions,
          execute: dispatcher.execute,
          supportsEveryMethod: (name) =>
            registry.findScheme(name)?.supportedOptions?.includes("method") === true,
        },
        input,
        init,
      ),
    put,
    delete: dispatcher.dispatch.bind(undefined, createOperationHandler("delete")),
    mkdir: dispatcher.dispatch.bind(undefined, createOperationHandler("mkdir")),
    rename,
  };
}

/** Returns the option `retry` of the client or of its last extension. */
function findDefaultRetry({ defaults, options }: ClientState): DereferenceOptions["retry"] {
  return defaults.findLast(({ options: { retry } }) => retry !== undefined)?.options.retry ?? options.retry;
}
