defmodule Shop.MixProject do
  use Mix.Project
  def project, do: [app: :shop, version: "1.4.0", elixir: "~> 1.14", deps: []]
  def application, do: [extra_applications: [:logger]]
end
