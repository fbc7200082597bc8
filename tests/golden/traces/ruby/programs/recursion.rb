# A stack that is too deep, through two methods and a block.
class Tree
  def walk(node) = children(node).each { |child| visit(child) }
  def visit(node) = walk(node)
  def children(node) = [node]
end

Tree.new.walk(:root)
