#!/bin/sh
# Prints the golden texts of this folder with Elixir 1.14 on OTP 25: run.sh FOLDER writes them there.
cd "$(dirname "$0")" && out=$(cd "$1" && pwd) && export ERL_CRASH_DUMP=/dev/null LC_ALL=C.UTF-8
erlc till.erl
erl -noshell -eval 'till:start(), catch gen_server:call(till, {pay, 3}), timer:sleep(300), halt().' >"$out/erlang-badmatch-server.txt" 2>&1
erl -noshell -eval 'till:start(), gen_server:cast(till, boom), timer:sleep(300), halt().' >"$out/erlang-clause-server.txt" 2>&1
erl -noshell -eval 'till:linked(), halt().' >"$out/erlang-crash-report.txt" 2>&1
printf 'till:pay(3).\ntill:deep(2).\nlists:foo(1).\natom_to_list(1).\nq().\n' | erl >"$out/erlang-shell.txt" 2>&1
erl -noshell -eval 'till:pay(3), halt().' >"$out/erlang-boot.txt" 2>&1
cd shop && mix compile >/dev/null 2>&1
mix run -e 'Shop.Till.pay(nil)' >"$out/elixir-clause.txt" 2>&1
mix run -e 'Shop.Till.refund(%{items: [%{price: 3, count: nil}]})' >"$out/elixir-closure.txt" 2>&1
mix run -e 'Shop.Till.receipt(%{number: "x"})' >"$out/elixir-reraise.txt" 2>&1
mix run -e '{:ok, p} = Shop.Desk.start_link(%{}); GenServer.call(p, {:pay, %{total: -5}})' >"$out/elixir-genserver.txt" 2>&1
mix run -e 't = Task.async(fn -> Shop.Till.match(:error) end); Task.await(t)' >"$out/elixir-task.txt" 2>&1
