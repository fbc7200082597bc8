-module(till).
-behaviour(gen_server).
-export([start/0, pay/1, init/1, handle_call/3, handle_cast/2, deep/1, spawned/0, linked/0]).
start() -> gen_server:start({local, ?MODULE}, ?MODULE, [], []).
init([]) -> {ok, #{}}.
handle_call({pay, X}, _, S) -> {reply, pay(X), S}.
handle_cast(boom, S) -> ok = deep(3), {noreply, S}.
pay(X) when X > 0 -> {ok, Y} = charge(X), Y.
charge(X) -> {error, X}.
deep(0) -> lists:nth(7, [1]);
deep(N) -> 1 + deep(N - 1).
spawned() -> spawn(fun() -> deep(2) end), timer:sleep(300).
linked() -> proc_lib:spawn(fun() -> lists:map(fun(A) -> 1 div A end, [1, 0]) end), timer:sleep(300).
